// A scene in an address: deflated, then letters that addresses may have.

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const source = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as never);
  return new Uint8Array(await new Response(source as never).arrayBuffer());
}

export async function toLink(text: string): Promise<string> {
  const small = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  return btoa(String.fromCharCode(...small)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export async function fromLink(link: string): Promise<string> {
  const raw = atob(link.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(raw, (c) => c.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
}
