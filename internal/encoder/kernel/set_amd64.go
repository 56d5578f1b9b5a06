package kernel

import "golang.org/x/sys/cpu"

// native returns the sets in assembly that this processor and its operating system support.
func native() (sets []*Set) {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, &Set{name: "avx512", columns: 32, multiply: []multiplication{nil,
			multiplyAVX512x1, multiplyAVX512x2, multiplyAVX512x3, multiplyAVX512x4, multiplyAVX512x5, multiplyAVX512x6,
			multiplyAVX512x7, multiplyAVX512x8, multiplyAVX512x9, multiplyAVX512x10, multiplyAVX512x11, multiplyAVX512x12},
			gelu: geluAVX512, expSum: expSumAVX512, addNorm: addNormAVX512, widen: widenAVX512})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, &Set{name: "avx2", columns: 16, multiply: []multiplication{nil,
			multiplyAVX2x1, multiplyAVX2x2, multiplyAVX2x3, multiplyAVX2x4, multiplyAVX2x5, multiplyAVX2x6},
			gelu: geluAVX2, expSum: expSumAVX2, addNorm: addNormAVX2, widen: widenAVX2})
	}
	return sets
}
