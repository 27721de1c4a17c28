// 'copse/thread' is the script of a worker, and exports nothing: see the option `workerFactory` of
// 'copse/threads'.
export {}
