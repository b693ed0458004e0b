/** Who calls: known by the front before anything else happens, and written on every record. */
export interface Principal {
  readonly id: string;
  readonly kind: 'key' | 'stdio' | 'open';
}

/** The laptop's own key holder. */
export const KEY_HOLDER: Principal = Object.freeze({ id: 'local', kind: 'key' });
/** The program that started `sallyport stdio`: the operating system vouches for it. */
export const PARENT_PROCESS: Principal = Object.freeze({ id: 'stdio', kind: 'stdio' });
/** Anyone, where the operator turned authentication off on loopback. */
export const ANYONE: Principal = Object.freeze({ id: 'anyone', kind: 'open' });
