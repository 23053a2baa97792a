/** What JSON can say. Numbers are IEEE doubles; canonical text is RFC 8785 (`@countersign/kernel` canonicalJson). */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
