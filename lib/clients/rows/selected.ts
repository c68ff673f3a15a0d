/** The most client systems of one call, each with its own result. */
export const perCallMax = 200;
/** The most client systems that an order by a query is for: those of 500 calls. */
export const selectedMax = 100_000;
