// The scenes of the demo: every file in scenes/ is one and registers itself by its default export.
// Folders there hold what only the scene of that name uses. The export:
//
//   name         in the address: #scene=name
//   title        in the list of scenes
//   order        place in the list, from 1
//   group        heading that it stands under in the list
//   summary      for the list, one line
//   description  what there is to see, one or two sentences
//   help         how to use pointer and keyboard here, one sentence
//   params       all of its settings, one plain object; what differs from these defaults, the address
//                tells, as far as there is a controller for it
//   count        the one of them that says how many there are: n in the address
//   passing      optional: those that change by themselves, and are in no address
//   controls(gui, params)   adds controllers for the fields of params to a lil-gui
//   setup(stage, params)    starts the scene, returns what runs it:
//
//     frame(dt, lap)   moves, builds and queries; dt in seconds, 0 while paused. lap('move'),
//                      lap('build'), lap('query') credit the time since the last call to that part
//     draw()           draws everything; the canvas is clear
//     report(times)    { numbers: [[label, value], …], table?: { caption, head, rows, current, note } }
//                      for the panel, which formats numbers; times: mean ms of each part.
//                      curve?: { caption, data: [times, values] }, always the same arrays, which
//                      may grow
//     hits()           number of items lit in this frame
//     results()        optional: [{ name, total, equal }, …] of what is compared: its median ms, if it
//                      has been measured, and whether it was found equal
//     dispose()        frees what setup took from the library
//     change(field)    optional: a control changed params[field]
//     resize(x, y)     optional: the stage is x times as wide and y times as high as before
//     scroll(steps)    optional: wheel, pinch, + and -: whole steps, positive is larger; may change
//                      params
//     press()          optional: click, tap, Enter at stage.pointer
//
// For the stage, see view/stage.js; for scenes in 3D, view/loadworld.js.

const found = import.meta.glob('./scenes/*.js', { eager: true, import: 'default' })

export const scenes = Object.values(found)
  .map((scene) => ({ ...scene, defaults: Object.freeze({ ...scene.params }) }))
  .sort((a, b) => a.order - b.order)
