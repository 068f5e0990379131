/** @returns the four bytes of a dotted quad, or undefined */
export function parseIpv4(text: string): Buffer | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? Buffer.from(parts) : undefined;
}

/** The /24 of an address, as text: `198.18.4`. Paths go through different ones. */
export function subnet24(ip: string): string {
  return ip.slice(0, ip.lastIndexOf('.'));
}
