// The package's own tests that a page can run, by noun.

export const suites = {
  agenttree: () => import('../agenttree.test.js'),
  crowd: () => import('../crowd.test.js'),
  crowdscenarios: () => import('../crowdscenarios.test.js'),
  degenerate: () => import('../degenerate.test.js'),
  determinism: () => import('../determinism.test.js'),
  errors: () => import('../errors.test.js'),
  from: () => import('../from.test.js'),
  grid: () => import('../grid.test.js'),
  instances: () => import('../instances.test.js'),
  kdtree: () => import('../kdtree.test.js'),
  obstacle: () => import('../obstacle.test.js'),
  octree: () => import('../octree.test.js'),
  raycast: () => import('../raycast.test.js'),
  snapshot: () => import('../snapshot.test.js'),
  transfer: () => import('../transfer.test.js'),
  walls: () => import('../walls.test.js'),
}
