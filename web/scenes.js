// The scenes of the demo. Every file in scenes/ is a scene, registered by its default export. A folder
// there holds modules that only the scene of that name uses. Marks in it show what uses copse, see view/part.js.
// The export:
//
//   name         id in the address: #scene=name
//   title        name in the list of scenes
//   order        position in the list, from 1
//   group        heading in the list
//   summary      one line for the list
//   description  what the visitor sees, in one sentence
//   try          the first thing to do here: one short line, since on a phone it is all that is shown. Words
//                for a mouse are replaced on a touch screen, see view/words.js
//   help         under Details: what else to see, and what pointer and keyboard do here
//   legend       what colors and shapes mean: [[shape, color, text], …], see view/legend.js
//   params       all settings, as one plain object. Settings with a controller are written to the
//                address if they differ from these defaults
//   hints        optional: tooltips of controls, by param, other than those in view/panel.js
//   minimal      optional: the programs of docs/recipes.md that do what the scene does, by the anchors of
//                their headings; ?minimal in the address shows them
//   count        name of the param that is the number of agents or items: n in the address
//   passing      optional: names of params that change by themselves and are kept out of the address
//   controls(gui, params)   adds controllers for the fields of params to a lil-gui
//   setup(stage, params)    starts the scene and returns the object that runs it:
//
//     frame(dt, lap, whole)   moves, builds and queries. dt is in seconds, 0 while paused. lap('move'),
//                      lap('build') and lap('query') credit the time since the last lap to that part.
//                      whole: ms of the page's thread in the last frame, with the demo's own work
//     draw()           draws everything on a cleared canvas
//     report(times)    returns the content of the panel, which formats numbers; times: mean ms of each part
//                        numbers  [[label, value], …]; the first three are always shown
//                        notes    optional: what to say below a control, by param: [state, times]
//                        table    optional: { caption, head, rows, current, note }
//                        curve    optional: { caption, data: [times, values] }, always the same two
//                                 arrays, which may grow
//     hits()           returns the number of items lit in this frame
//     results()        optional: returns the comparisons so far: [{ name, total, equal }, …] with the
//                      median ms, if measured, and true if the results were equal
//     dispose()        frees all objects that setup took from the library
//     change(field)    optional: called after a control changed params[field]
//     resize(x, y)     optional: the stage became x times as wide and y times as high
//     scroll(steps)    optional: wheel, pinch, + and -, in whole steps; positive is larger. May change
//                      params
//     press()          optional: click, tap or Enter at stage.pointer
//
// view/stage.js documents the stage; view/loadworld.js helps with scenes in 3D.

const modules = import.meta.glob('./scenes/*.js', { eager: true, import: 'default' })

export const scenes = Object.values(modules)
  .map((scene) => ({ ...scene, defaults: Object.freeze({ ...scene.params }) }))
  .sort((a, b) => a.order - b.order)
