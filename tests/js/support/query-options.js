// What options each query of points and boxes takes: others are refused.

const SEARCH = ['mask', 'exclude', 'sort']
const NEAREST = ['mask', 'exclude', 'maxDistance']

export const QUERY_OPTIONS = {
  within: SEARCH,
  withinInto: [...SEARCH, 'distances2'],
  range: SEARCH,
  rangeInto: SEARCH,
  countRange: SEARCH,
  at: SEARCH,
  atInto: SEARCH,
  countWithin: SEARCH,
  anyWithin: SEARCH,
  cone: SEARCH,
  coneInto: [...SEARCH, 'distances2'],
  nearest: NEAREST,
  neighbors: NEAREST,
  neighborsInto: [...NEAREST, 'distances2'],
  raycast: ['mask', 'exclude'],
  pairs: ['mask'],
  pairsInto: ['mask'],
}
