import { ResourceTemplate } from '@modelcontextprotocol/server';

/** Something a client can read by its address. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  /** @param values of the variables in a template such as `table://{name}` */
  read(uri: URL, values: Readonly<Record<string, string>>): Content | Promise<Content>;
  /** Values that may complete a variable of a template, at most 100 of which are sent. */
  readonly complete?: Readonly<Record<string, (start: string) => string[] | Promise<string[]>>>;
}

/** Text, or bytes that are sent as base64. */
export type Content = string | Uint8Array;

/** Declares a resource. An address with `{variables}` is a template. */
export function defineResource(resource: Resource): Resource {
  return resource;
}

export function isTemplate({ uri }: Resource): boolean {
  return uri.includes('{');
}

export function toTemplate({ uri, complete = {} }: Resource): ResourceTemplate {
  return new ResourceTemplate(uri, { list: undefined, complete });
}
