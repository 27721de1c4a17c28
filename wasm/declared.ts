// Makes the compiler check that the JavaScript classes have the members that copse.d.ts declares.
// tests/js/declared.test.js checks that they have no other public members.

import type * as declared from './copse.d.ts'
import * as made from './entries/copse.js'

made satisfies typeof declared
