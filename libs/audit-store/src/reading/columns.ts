/** bigint arrives as text; log positions stay below 2^53. */
const asNumber = { from: (value: string | null) => (value === null ? null : Number(value)), to: (value: number) => value };

export const bigintColumn = (name: string) => ({ name, type: 'bigint' as const, transformer: asNumber });
export const textColumn = (name: string) => ({ name, type: 'text' as const });
