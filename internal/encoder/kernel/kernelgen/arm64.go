package main

import (
	"fmt"
	"strings"
)

// neonRows is the most rows of a multiplication: 24 of 32 registers hold its sums, four the weights.
const neonRows = 6

// Instructions that Go's assembler does not know: the word without its registers, as the Arm Architecture Reference
// Manual gives it for four float32.
const (
	fadd   = 0x4e20d400
	fsub   = 0x4ea0d400
	fmul   = 0x6e20dc00
	fdiv   = 0x6e20fc00
	fmax   = 0x4e20f400
	fmin   = 0x4ea0f400
	faddp  = 0x6e20d400
	fmaxv  = 0x6e30f800
	fcvtns = 0x4e21a800 // to int32, to the nearest
	scvtf  = 0x4e21d800 // from int32
	sxtl8  = 0x0f08a400 // 8 of 16 int8 to int16: the first half; sxtl8|high the second
	sxtl16 = 0x0f10a400 // 4 of 8 int16 to int32
	high   = 0x40000000
)

type neon struct{ *file }

func arm64() *file {
	n := neon{&file{}}
	n.table("geluTable", geluConstants(), 1)
	n.table("expTable", expConstants(), 1)
	for rows := 1; rows <= neonRows; rows++ {
		n.multiply(rows)
	}
	n.gelu()
	n.expSum()
	n.addNorm()
	n.widen()
	return n.file
}

// op writes d = n op m.
func (f neon) op(name string, word, d, n, m int) {
	f.p("\tWORD $0x%08x // %s v%d, v%d, v%d", word|m<<16|n<<5|d, name, d, n, m)
}

// op1 writes d = op n.
func (f neon) op1(name string, word, d, n int) {
	f.p("\tWORD $0x%08x // %s v%d, v%d", word|n<<5|d, name, d, n)
}

// group is a list of n registers from first on.
func group(first, n int) string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprintf("V%d.S4", first+i))
	}
	return "[" + strings.Join(s, ", ") + "]"
}

// multiply computes rows × 16 sums: four registers a row. R1 to R6 walk along the rows of a.
func (f neon) multiply(rows int) {
	f.begin(fmt.Sprintf("multiplyNEONx%d", rows), multiplyParams, multiplyFrame)
	f.p("\tMOVD k+0(FP), R0\n\tMOVD a_base+8(FP), R1\n\tMOVD lda+32(FP), R7\n\tMOVD b_base+40(FP), R8\n\tMOVD c_base+64(FP), R9")
	f.p("\tMOVD ldc+88(FP), R10\n\tMOVD bias_base+96(FP), R11\n\tMOVD bias_len+104(FP), R12\n\tLSL $2, R7\n\tLSL $2, R10\n\tMOVD $%d, R14", 4*width)
	for i := 1; i < rows; i++ {
		f.p("\tADD R7, R%d, R%d", i, i+1)
	}
	f.p("\tCBZ R12, load\n\tVLD1 (R11), %s", group(0, 4))
	for i := 1; i < rows; i++ {
		for j := range 4 {
			f.p("\tVMOV V%d.B16, V%d.B16", j, 4*i+j)
		}
	}
	f.p("\tB loop\nload:\n\tMOVD R9, R13")
	for i := range rows {
		f.p("\tVLD1 (R13), %s", group(4*i, 4))
		if i < rows-1 {
			f.p("\tADD R10, R13")
		}
	}
	f.p("loop:\n\tVLD1.P (R8)(R14), %s", group(24, 4))
	for i := range rows {
		t := 28 + i%4
		f.p("\tVLD1R.P 4(R%d), [V%d.S4]", i+1, t)
		for j := range 4 {
			f.p("\tVFMLA V%d.S4, V%d.S4, V%d.S4", 24+j, t, 4*i+j)
		}
	}
	f.p("\tSUBS $1, R0\n\tBNE loop")
	for i := range rows {
		f.p("\tVST1 %s, (R9)", group(4*i, 4))
		if i < rows-1 {
			f.p("\tADD R10, R9")
		}
	}
	f.p("\tRET")
}

// load puts a table's constants into registers from first on.
func (f neon) load(symbol string, names []string, first int) func(name string) int {
	at := map[string]int{}
	f.p("\tMOVD $·%s(SB), R5", symbol)
	for i, name := range names {
		f.p("\tVLD1R.P 4(R5), [V%d.S4]", first+i)
		at[name] = first + i
	}
	return func(name string) int { return at[name] }
}

// polynomial evaluates one in register at by Horner's rule; t is overwritten.
func (f neon) polynomial(to, at, t int, c func(string) int, names ...string) {
	f.p("\tVMOV V%d.B16, V%d.B16", c(names[0]), to)
	for _, name := range names[1:] {
		f.p("\tVMOV V%d.B16, V%d.B16", c(name), t)
		f.p("\tVFMLA V%d.S4, V%d.S4, V%d.S4", at, to, t)
		to, t = t, to
	}
}

func (f neon) gelu() {
	f.begin("geluNEON", geluParams, geluFrame)
	f.p("\tMOVD x_base+0(FP), R0\n\tMOVD x_len+8(FP), R1")
	c := f.load("geluTable", geluConstants(), 8)
	f.p("loop:\n\tVLD1 (R0), [V0.S4]")
	f.op("fmul", fmul, 1, 0, c("rsqrt2"))
	f.op("fmin", fmin, 1, 1, c("four"))
	f.op("fmax", fmax, 1, 1, c("minusFour"))
	f.op("fmul", fmul, 2, 1, 1)
	f.polynomial(3, 2, 5, c, "a13", "a11", "a9", "a7", "a5", "a3", "a1") // six steps: ends in 3
	f.op("fmul", fmul, 3, 3, 1)
	f.polynomial(4, 2, 5, c, "b8", "b6", "b4", "b2", "b0") // four steps: ends in 4
	f.op("fdiv", fdiv, 3, 3, 4)
	f.op("fadd", fadd, 3, 3, c("one"))
	f.op("fmul", fmul, 0, 0, c("half"))
	f.op("fmul", fmul, 0, 0, 3)
	f.p("\tVST1.P [V0.S4], 16(R0)\n\tSUBS $4, R1\n\tBGT loop\n\tRET")
}

// fold adds the lanes of register r; the sum is in all of them.
func (f neon) fold(r int) {
	f.op("faddp", faddp, r, r, r)
	f.op("faddp", faddp, r, r, r)
}

func (f neon) expSum() {
	f.begin("expSumNEON", expSumParams, expSumFrame)
	f.p("\tMOVD x_base+0(FP), R0\n\tMOVD x_len+8(FP), R1\n\tMOVD R0, R2\n\tMOVD R1, R3\n\tVLD1 (R0), [V0.S4]")
	f.p("largest:\n\tVLD1.P 16(R0), [V1.S4]")
	f.op("fmax", fmax, 0, 0, 1)
	f.p("\tSUBS $4, R1\n\tBGT largest")
	f.op1("fmaxv", fmaxv, 0, 0)
	f.p("\tVDUP V0.S[0], V6.S4\n\tFMOVS scale+24(FP), F5\n\tVDUP V5.S[0], V5.S4")
	f.op("fmul", fmul, 6, 6, 5)
	f.p("\tVEOR V7.B16, V7.B16, V7.B16\n\tMOVD $127, R4\n\tVDUP R4, V30.S4")
	c := f.load("expTable", expConstants(), 16)
	f.p("\tMOVD R2, R0\n\tMOVD R3, R1\nloop:\n\tVLD1 (R0), [V0.S4]")
	f.op("fmul", fmul, 0, 0, 5)
	f.op("fsub", fsub, 0, 0, 6)
	f.op("fmax", fmax, 0, 0, c("lowest"))
	f.op("fmul", fmul, 1, 0, c("log2e"))
	f.op1("fcvtns", fcvtns, 1, 1)
	f.op1("scvtf", scvtf, 2, 1)
	f.p("\tVFMLS V%d.S4, V2.S4, V0.S4\n\tVFMLS V%d.S4, V2.S4, V0.S4", c("ln2high"), c("ln2low"))
	f.polynomial(3, 0, 8, c, "p0", "p1", "p2", "p3", "p4", "p5") // five steps: ends in 8
	f.op("fmul", fmul, 4, 0, 0)
	f.p("\tVFMLA V4.S4, V8.S4, V0.S4")
	f.op("fadd", fadd, 3, 0, c("one"))
	f.p("\tVADD V30.S4, V1.S4, V1.S4\n\tVSHL $23, V1.S4, V1.S4")
	f.op("fmul", fmul, 3, 3, 1)
	f.op("fadd", fadd, 7, 7, 3)
	f.p("\tVST1.P [V3.S4], 16(R0)\n\tSUBS $4, R1\n\tBGT loop")
	f.fold(7)
	f.p("\tFMOVS F7, ret+32(FP)\n\tRET")
}

func (f neon) addNorm() {
	f.begin("addNormNEON", addNormParams, addNormFrame)
	f.p("\tMOVD x_base+0(FP), R0\n\tMOVD r_base+24(FP), R1\n\tMOVD gain_base+48(FP), R2\n\tMOVD gain_len+56(FP), R3\n\tMOVD bias_base+72(FP), R4")
	f.p("\tMOVD R0, R5\n\tMOVD R3, R6\n\tSCVTFS R3, F5\n\tVEOR V0.B16, V0.B16, V0.B16")
	f.p("sum:\n\tVLD1 (R0), [V1.S4]\n\tVLD1.P 16(R1), [V2.S4]")
	f.op("fadd", fadd, 1, 1, 2)
	f.op("fadd", fadd, 0, 0, 1)
	f.p("\tVST1.P [V1.S4], 16(R0)\n\tSUBS $4, R3\n\tBGT sum")
	f.fold(0)
	f.p("\tFDIVS F5, F0, F0\n\tVDUP V0.S[0], V2.S4\n\tVEOR V3.B16, V3.B16, V3.B16\n\tMOVD R5, R0\n\tMOVD R6, R3")
	f.p("squares:\n\tVLD1.P 16(R0), [V1.S4]")
	f.op("fsub", fsub, 1, 1, 2)
	f.p("\tVFMLA V1.S4, V1.S4, V3.S4\n\tSUBS $4, R3\n\tBGT squares")
	f.fold(3)
	f.p("\tFDIVS F5, F3, F3\n\tFMOVS eps+96(FP), F4\n\tFADDS F4, F3, F3\n\tFSQRTS F3, F3\n\tFMOVS $1.0, F4\n\tFDIVS F3, F4, F4\n\tVDUP V4.S[0], V4.S4")
	f.p("\tMOVD R5, R0\n\tMOVD R6, R3\nscale:\n\tVLD1 (R0), [V1.S4]\n\tVLD1.P 16(R2), [V5.S4]\n\tVLD1.P 16(R4), [V6.S4]")
	f.op("fsub", fsub, 1, 1, 2)
	f.op("fmul", fmul, 1, 1, 4)
	f.p("\tVFMLA V5.S4, V1.S4, V6.S4\n\tVST1.P [V6.S4], 16(R0)\n\tSUBS $4, R3\n\tBGT scale\n\tRET")
}

// widen holds the scales of a panel's columns in V16 to V23.
func (f neon) widen() {
	f.begin("widenNEON", widenParams, widenFrame)
	f.p("\tMOVD dst_base+0(FP), R0\n\tMOVD src_base+24(FP), R1\n\tMOVD src_len+32(FP), R2\n\tMOVD scale_base+48(FP), R3")
	f.p("\tVLD1.P 64(R3), %s\n\tVLD1 (R3), %s", group(16, 4), group(20, 4))
	f.p("loop:")
	for half := range 2 {
		f.p("\tVLD1.P 16(R1), [V0.B16]")
		f.op1("sxtl", sxtl8, 1, 0)
		f.op1("sxtl2", sxtl8|high, 2, 0)
		for i := range 2 {
			f.op1("sxtl", sxtl16, 4+2*i, 1+i)
			f.op1("sxtl2", sxtl16|high, 5+2*i, 1+i)
		}
		for i := range 4 {
			f.op1("scvtf", scvtf, 4+i, 4+i)
			f.op("fmul", fmul, 4+i, 4+i, 16+4*half+i)
		}
		f.p("\tVST1.P %s, 64(R0)", group(4, 4))
	}
	f.p("\tSUBS $%d, R2\n\tBGT loop\n\tRET", width)
}
