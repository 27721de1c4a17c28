// The tests that the address names, in the page. They print what uvu prints, to the console.

import './instances.js'
import { suites } from './suites.js'

await suites[location.search.slice(1)]()
