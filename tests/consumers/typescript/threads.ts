// Instances with threads, with the types of the DOM.
import {
  AgentTree,
  create,
  type Crowd,
  init,
  type ThreadedInstance,
  type ThreadOptions,
  type Threads,
} from 'copse/threads'
import 'copse/thread'

const options: ThreadOptions = {
  threads: 4,
  memory: 2 ** 24,
  workerFactory: () => new Worker(new URL('copse/thread', import.meta.url), { type: 'module' }),
}
const instance: ThreadedInstance = await init(options)
const { count, reason }: Threads = instance.threads
export const text: string = `${count} ${reason}`
export const tree = new AgentTree({ instance, capacity: 3 })
export const crowds: Crowd[] = []
await create({ threads: 2, workerFactory: async () => new Worker('thread.js') })
instance.dispose()
// @ts-expect-error the number of threads is a number
await create({ threads: '2' })
// @ts-expect-error read-only
instance.threads.count = 2
// @ts-expect-error there is no such option
await create({ workers: 2 })
