// Checks by the compiler that the classes are what copse.d.ts declares; tests/js/declared.test.js checks that
// nothing else is public.

import type * as declared from './copse.d.ts'
import * as made from './entries/copse.js'

made satisfies typeof declared
