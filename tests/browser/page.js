// The package's own tests, in the page. They print what uvu prints, to the console.

import './runs.js'
import '../agenttree.test.js'
import '../degenerate.test.js'
import '../determinism.test.js'
import '../errors.test.js'
import '../from.test.js'
import '../grid.test.js'
import '../instances.test.js'
import '../kdtree.test.js'
import '../raycast.test.js'
import '../snapshot.test.js'
import '../transfer.test.js'
