const CONTROL = /\p{Cc}/u;
const CONTROL_IN_PROSE = /[^\P{Cc}\t\n\r]/u;

/** C0, DEL or C1. PostgreSQL keeps no NUL, and the others are shown differently wherever they are shown. */
export const holdsControl = (text: string): boolean => CONTROL.test(text);

/** The same of what people or programs write for people: tab, line feed and carriage return are none. */
export const holdsControlInProse = (text: string): boolean => CONTROL_IN_PROSE.test(text);
