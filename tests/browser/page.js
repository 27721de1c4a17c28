// The package's own tests, in the page. They print what uvu prints, to the console.

globalThis.process = { env: { COPSE_RUNS: new URLSearchParams(location.search).get('runs') } }

import '../agenttree.test.js'
import '../degenerate.test.js'
import '../determinism.test.js'
import '../instances.test.js'
