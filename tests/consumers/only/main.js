import { init, Grid } from 'copse/points'

await init()
const agents = new Grid({ capacity: 3, cellSize: 2 })
agents.slots = 3
agents.positions.set([0, 0, 1, 0, 5, 5])
agents.build()
console.log(...agents.within(0, 0, 2)) // 0 1
