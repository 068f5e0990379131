/** One image of the fake engine. */
export interface FakeImage {
  readonly id: string;
  readonly tags: ReadonlySet<string>;
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether labels match a filter: `key` or `key=value`, all of them. */
export function hasLabels(labels: Readonly<Record<string, string>>, wanted: readonly string[]): boolean {
  return wanted.every((want) => {
    const [name = '', value] = want.split('=', 2);
    return name in labels && (value === undefined || labels[name] === value);
  });
}

/** The images of a fake engine: a tag is had by one image at a time, and one without tags is gone. */
export class FakeImages {
  readonly #images: { id: string; tags: Set<string>; labels: Readonly<Record<string, string>> }[] = [];

  add(id: string, reference: string, labels: Readonly<Record<string, string>>): void {
    this.#untag(reference);
    this.#images.push({ id, tags: new Set([reference]), labels });
  }

  find(reference: string): FakeImage | undefined {
    return this.#images.find((image) => image.id === reference || image.tags.has(reference));
  }

  list(labels: readonly string[]) {
    return this.#images
      .filter((image) => hasLabels(image.labels, labels))
      .map((image) => ({ id: image.id, tags: [...image.tags], sizeBytes: 1_000_000, labels: image.labels }));
  }

  tag(image: FakeImage, tag: string): void {
    this.#untag(tag);
    this.#images.find((one) => one.id === image.id)?.tags.add(tag);
  }

  remove(reference: string): void {
    const index = this.#images.findIndex((image) => image.id === reference || image.tags.has(reference));
    const image = this.#images[index];
    if (!image) return;
    image.tags.delete(reference);
    if (image.tags.size === 0 || reference === image.id) this.#images.splice(index, 1);
  }

  #untag(tag: string): void {
    for (const image of this.#images) image.tags.delete(tag);
  }
}
