/** One POST to an address that the operator wrote down; redirects fail. */
export type Post = (url: string, post: PostInit) => Promise<PostReply>;

export interface PostInit {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: 'error';
  readonly signal: AbortSignal;
}

export interface PostReply {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { cancel(): Promise<void> } | null;
  text(): Promise<string>;
}
