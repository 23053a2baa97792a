/**
 * How many places of one common room a tenant may have: at most so many, and always less than what is left, so that many
 * tenants with dead receivers together never fill it, and the next one finds room.
 */
export const shareOf = (most: number, room: number, taken: number): number => Math.min(most, Math.max(1, Math.floor((room - taken) / PART)));

const PART = 10;
