// Imported first: fewer cases than in Node, where the same were drawn already.

globalThis.process ??= { env: { COPSE_RUNS: '1000' } }
