/** What tests of a server need. The front of `@sallyport/kit/testing`. */
export { readExamples } from './read-examples.ts';

export { type Kind, type ServerTest, type ServerTestOptions, serverTests, type ToolExample } from './server-tests.ts';
export { connectTestClient, type Era, type TestClient, type TestClientOptions, textOf } from './test-client.ts';
