import * as z from 'zod';

/** The query of every list: at most 200 items a page, and the opaque cursor of the page before. */
export const paged = { limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.string().max(500).optional() };

/** The answer of every list: a page, and an opaque cursor when more follow. */
export const listOf = <T extends z.ZodType>(item: T) => z.strictObject({ items: z.array(item), next: z.string().optional() });
