// Prints how long init() takes in a fresh process, in milliseconds.

import { init } from 'copse'

const start = performance.now()
await init()
console.log(performance.now() - start)
