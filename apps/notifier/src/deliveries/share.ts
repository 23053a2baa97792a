/** A tenant's places in a common room: an equal share among the tenants that are in it, at least one, and never more than `most`. */
export const shareOf = (most: number, room: number, tenants: number): number => Math.min(most, Math.max(1, Math.floor(room / Math.max(1, tenants))));
