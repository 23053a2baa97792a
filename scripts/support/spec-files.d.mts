export function isSpecOnly(path: string): boolean;
export function isSuite(path: string): boolean;
