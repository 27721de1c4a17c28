// The options of each method. All others are refused.

const SELECTION = ['mask', 'exclude']
const SEARCH = [...SELECTION, 'sort']
const NEAREST = [...SELECTION, 'maxDistance']

/** Queries of points and boxes. */
export const QUERY_OPTIONS = {
  within: [...SEARCH, 'distances2'],
  range: SEARCH,
  countRange: SELECTION,
  frustum: SEARCH,
  at: SEARCH,
  countWithin: SELECTION,
  anyWithin: SELECTION,
  cone: [...SEARCH, 'distances2'],
  nearest: NEAREST,
  neighbors: [...NEAREST, 'distances2'],
  raycast: [...SELECTION, 'inflate'],
  raycastMany: [...SELECTION, 'inflate'],
  withinMany: SELECTION,
  rangeMany: SELECTION,
  neighborsMany: NEAREST,
  raycastAll: SELECTION,
  pairs: ['mask'],
}

/** Methods that only points have, or that have other options there. */
const OF_POINTS = {
  raycast: [...SELECTION, 'radius', 'inflate'],
  raycastAll: [...SELECTION, 'radius', 'inflate'],
  raycastMany: [...SELECTION, 'radius', 'inflate'],
  allWithin: ['mask'],
  allNeighbors: ['mask', 'maxDistance'],
  pairs: ['mask', 'distance'],
  reserve: ['results', 'k'],
}

const OF_WALLS = {
  addPolygon: ['solid'],
  within: ['side', 'distances2'],
  nearest: ['side', 'maxDistance'],
  nearestPoint: ['side', 'maxDistance'],
  visible: ['radius'],
  raycast: ['side'],
  raycastMany: ['side'],
  visibilityPolygon: ['maxDistance', 'bounds'],
}

/** Returns the names of the options that a method of a class takes. */
export function optionsOf(name, method) {
  if (name === 'ObstacleTree') return OF_WALLS[method]
  if (method === 'follow') return ['mask']
  if (name === 'FlowField') return method === 'reserve' ? ['goals'] : undefined
  const isOfPoints = /^(AgentTree|Grid|KdTree)/.test(name)
  return (isOfPoints && OF_POINTS[method]) || QUERY_OPTIONS[method]
}
