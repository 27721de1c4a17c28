// Makes the compiler check that the JavaScript classes have the members that copse.d.ts declares,
// and that the functions of 'copse/worker' fit worker.d.ts. tests/js/declared.test.js checks that
// the classes have no other public members.

import type * as declared from './copse.d.ts'
import type * as declaredWorker from './worker.d.ts'
import * as made from './entries/copse.js'
import * as madeWorker from './entries/worker.js'

made satisfies typeof declared
madeWorker satisfies typeof declaredWorker
