/** A check that the author asked for did not hold: not a fault, and told in its own words. */
export class CheckFailed extends Error {}
