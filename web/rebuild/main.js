// The live figures of the article.

import { init } from 'copse'
import { watchTheme } from '../view/theme.js'
import { startFigure } from './figure.js'
import { startFrame } from './frame.js'

const state = (window.example = { frame: 0 }) // for tests
await init()
let show = () => {}
watchTheme(() => show())
show = startFigure(document.querySelector('#query'), state)
startFrame(document.querySelector('#frame'), state)
document.body.classList.add('live')
