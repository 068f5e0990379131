package main

import "math/bits"

// histogram counts durations in buckets whose width is 1/16 of their octave,
// so that a quantile is right to about 6 %.
type histogram struct {
	counts [64 * 16]uint32
	total  uint64
	maxNs  int64
}

func (h *histogram) add(ns int64) {
	if ns < 0 {
		ns = 0
	}
	h.total++
	h.maxNs = max(h.maxNs, ns)
	h.counts[bucketOf(uint64(ns))]++
}

func bucketOf(v uint64) int {
	if v < 16 {
		return int(v)
	}
	shift := bits.Len64(v) - 5
	return (shift+1)*16 + int(v>>shift&15)
}

// bucketMiddle is the value that stands for a bucket.
func bucketMiddle(bucket int) int64 {
	if bucket < 16 {
		return int64(bucket)
	}
	shift := bucket/16 - 1
	low := int64(16+bucket%16) << shift
	return low + int64(1)<<shift/2
}

// quantile is the value below which the share q of the durations lies.
func (h *histogram) quantile(q float64) int64 {
	if h.total == 0 {
		return 0
	}
	want := uint64(q*float64(h.total-1)) + 1
	var seen uint64
	for bucket, n := range h.counts {
		if seen += uint64(n); seen >= want {
			return min(bucketMiddle(bucket), h.maxNs)
		}
	}
	return h.maxNs
}

func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.maxNs = max(h.maxNs, o.maxNs)
}
