// The package's own tests that can run in a page, by file.

export const suites = {
  agenttree: () => import('../js/agenttree.test.js'),
  'build-from': () => import('../js/build-from.test.js'),
  crowd: () => import('../js/crowd.test.js'),
  'crowd-extras': () => import('../js/crowd-extras.test.js'),
  'crowd-scenarios': () => import('../js/crowd-scenarios.test.js'),
  degenerate: () => import('../js/degenerate.test.js'),
  determinism: () => import('../js/determinism.test.js'),
  errors: () => import('../js/errors.test.js'),
  flowfield: () => import('../js/flowfield.test.js'),
  grid: () => import('../js/grid.test.js'),
  instances: () => import('../js/instances.test.js'),
  kdtree: () => import('../js/kdtree.test.js'),
  obstacle: () => import('../js/obstacle.test.js'),
  octree: () => import('../js/octree.test.js'),
  raycast: () => import('../js/raycast.test.js'),
  snapshot: () => import('../js/snapshot.test.js'),
  threads: () => import('../js/threads.test.js'),
  transfer: () => import('../js/transfer.test.js'),
  // After instances, which needs a page in which init() was not called.
  connection: () => import('../js/connection.test.js'),
  wrap: () => import('../js/wrap.test.js'),
}
