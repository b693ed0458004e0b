/** What tests of a server need. The front of `@sallyport/kit/testing`. */
export { connectTestClient, type Era, type TestClient, type TestClientOptions, textOf } from './test-client.ts';
