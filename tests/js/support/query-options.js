// What options each query of points and boxes takes: others are refused.

const SELECTION = ['mask', 'exclude']
const SEARCH = [...SELECTION, 'sort']
const NEAREST = [...SELECTION, 'maxDistance']

export const QUERY_OPTIONS = {
  within: SEARCH,
  withinInto: [...SEARCH, 'distances2'],
  range: SEARCH,
  rangeInto: SEARCH,
  countRange: SELECTION,
  at: SEARCH,
  atInto: SEARCH,
  countWithin: SELECTION,
  anyWithin: SELECTION,
  cone: SEARCH,
  coneInto: [...SEARCH, 'distances2'],
  nearest: NEAREST,
  neighbors: NEAREST,
  neighborsInto: [...NEAREST, 'distances2'],
  raycast: SELECTION,
  pairs: ['mask'],
  pairsInto: ['mask'],
}
