const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
worker.onmessage = ({ data }) => console.log(...data) // 0 1
worker.postMessage([0, 0, 1, 0, 5, 5])
