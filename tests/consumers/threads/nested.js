const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
worker.onmessage = ({ data }) => console.log(data)
worker.onerror = ({ message }) => console.log(message)
worker.postMessage('begin')
