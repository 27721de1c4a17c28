// The thread of a block of code: runs a file and, if the test asks for it, grows linear memory before each frame.

import { workerData } from 'node:worker_threads'

if (workerData.isGrowing) await import('./growing.js')
await import(workerData.file)
