import type { Request } from '../core/message.ts';

/** The request that a view is made for. */
export type Asked = Pick<Request, 'method' | 'params'>;
