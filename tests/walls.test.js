// The obstacle tree against a plain list of walls; what each call promises by itself is in
// obstacle.test.js.

import { testScenes } from './wallsequences.js'

testScenes()
