package main

import "fmt"

// An x86 is one vector width of amd64: its registers, and the rows that a multiplication holds in them.
type x86 struct {
	*file
	name  string // suffix of the functions
	reg   string // prefix of the vector registers
	lanes int    // float32 in a register
	rows  int    // most rows of a multiplication
	cols  int    // columns of a multiplication
	low   int    // first register for temporary values of a multiplication
	temps int    // how many of them
}

func amd64() *file {
	f := &file{}
	f.table("geluTable", geluConstants(), 8)
	f.table("expTable", expConstants(), 8)
	f.p("\nDATA ·bias127+0(SB)/4, $127\nGLOBL ·bias127(SB), RODATA|NOPTR, $4")
	for _, x := range []x86{
		{file: f, name: "AVX512", reg: "Z", lanes: 16, rows: 12, cols: 32, low: 24, temps: 6},
		{file: f, name: "AVX2", reg: "Y", lanes: 8, rows: 6, cols: 16, low: 12, temps: 2},
	} {
		for rows := 1; rows <= x.rows; rows++ {
			x.multiply(rows)
		}
		x.gelu()
		x.expSum()
		x.addNorm()
		x.widen()
	}
	return f
}

func (x x86) v(i int) string { return fmt.Sprintf("%s%d", x.reg, i) }

func (x x86) end() { x.p("\tVZEROUPPER\n\tRET") }

// multiply keeps rows × cols sums in registers: two registers a row. Rows of a are read where they lie, four of them
// from each of up to three pointers.
func (x x86) multiply(rows int) {
	x.begin(fmt.Sprintf("multiply%sx%d", x.name, rows), multiplyParams, multiplyFrame)
	x.p("\tMOVQ k+0(FP), CX\n\tMOVQ a_base+8(FP), SI\n\tMOVQ lda+32(FP), R8\n\tMOVQ b_base+40(FP), DI\n\tMOVQ c_base+64(FP), DX")
	x.p("\tMOVQ ldc+88(FP), R9\n\tMOVQ bias_base+96(FP), BX\n\tMOVQ bias_len+104(FP), AX\n\tSHLQ $2, R8\n\tSHLQ $2, R9")
	if rows > 3 {
		x.p("\tLEAQ (R8)(R8*2), R12")
	}
	pointers := []string{"SI", "R10", "R11"}[:(rows+3)/4]
	for i := 1; i < len(pointers); i++ {
		x.p("\tLEAQ (%s)(R8*4), %s", pointers[i-1], pointers[i])
	}
	row := func(i, offset int) string {
		return fmt.Sprintf("%d(%s)%s", offset, pointers[i/4], []string{"", "(R8*1)", "(R8*2)", "(R12*1)"}[i%4])
	}
	bytes := 4 * x.lanes
	b0, b1 := x.v(x.low+x.temps), x.v(x.low+x.temps+1)
	x.p("\tTESTQ AX, AX\n\tJZ load")
	x.p("\tVMOVUPS (BX), %s\n\tVMOVUPS %d(BX), %s", x.v(0), bytes, x.v(1))
	for i := 1; i < rows; i++ {
		x.p("\tVMOVUPS %s, %s\n\tVMOVUPS %s, %s", x.v(0), x.v(2*i), x.v(1), x.v(2*i+1))
	}
	x.p("\tJMP start\nload:\n\tMOVQ DX, R13")
	for i := range rows {
		x.p("\tVMOVUPS (R13), %s\n\tVMOVUPS %d(R13), %s", x.v(2*i), bytes, x.v(2*i+1))
		if i < rows-1 {
			x.p("\tADDQ R9, R13")
		}
	}
	x.p("start:")
	step := func(u int) {
		x.p("\tVMOVUPS %d(DI), %s\n\tVMOVUPS %d(DI), %s", u*4*width, b0, u*4*width+bytes, b1)
		for i := range rows {
			t := x.v(x.low + i%x.temps)
			x.p("\tVBROADCASTSS %s, %s", row(i, 4*u), t)
			x.p("\tVFMADD231PS %s, %s, %s\n\tVFMADD231PS %s, %s, %s", b0, t, x.v(2*i), b1, t, x.v(2*i+1))
		}
	}
	advance := func(n int) {
		x.p("\tADDQ $%d, DI", n*4*width)
		for _, p := range pointers {
			x.p("\tADDQ $%d, %s", 4*n, p)
		}
	}
	const unrolled = 4
	x.p("\tMOVQ CX, AX\n\tSHRQ $2, AX\n\tJZ tail\n\tPCALIGN $32\nloop:")
	for u := range unrolled {
		x.p("\tPREFETCHT0 %d(DI)", (16+u)*4*width)
		if x.cols == width {
			x.p("\tPREFETCHT0 %d(DI)", (16+u)*4*width+64)
		}
		step(u)
	}
	advance(unrolled)
	x.p("\tDECQ AX\n\tJNZ loop\ntail:\n\tANDQ $3, CX\n\tJZ done\ntailLoop:")
	step(0)
	advance(1)
	x.p("\tDECQ CX\n\tJNZ tailLoop\ndone:")
	for i := range rows {
		x.p("\tVMOVUPS %s, (DX)\n\tVMOVUPS %s, %d(DX)", x.v(2*i), x.v(2*i+1), bytes)
		if i < rows-1 {
			x.p("\tADDQ R9, DX")
		}
	}
	x.end()
}

// load makes constants of a table usable as operands: the wide set has registers for all from first on, the narrow one
// reads them from memory.
func (x x86) load(symbol string, names []string, first int) func(name string) string {
	at := map[string]string{}
	for i, name := range names {
		at[name] = fmt.Sprintf("·%s+%d(SB)", symbol, 32*i)
		if x.lanes == 16 {
			x.p("\tVBROADCASTSS %s, %s", at[name], x.v(first+i))
			at[name] = x.v(first + i)
		}
	}
	return func(name string) string { return at[name] }
}

func (x x86) gelu() {
	x.begin("gelu"+x.name, geluParams, geluFrame)
	x.p("\tMOVQ x_base+0(FP), SI\n\tMOVQ x_len+8(FP), CX")
	c := x.load("geluTable", geluConstants(), 8)
	x.p("loop:\n\tVMOVUPS (SI), %s", x.v(0))
	x.p("\tVMULPS %s, %s, %s", c("rsqrt2"), x.v(0), x.v(1))
	x.p("\tVMINPS %s, %s, %s", c("four"), x.v(1), x.v(1))
	x.p("\tVMAXPS %s, %s, %s", c("minusFour"), x.v(1), x.v(1))
	x.p("\tVMULPS %s, %s, %s", x.v(1), x.v(1), x.v(2))
	x.polynomial(3, 2, c, "a13", "a11", "a9", "a7", "a5", "a3", "a1")
	x.p("\tVMULPS %s, %s, %s", x.v(1), x.v(3), x.v(3))
	x.polynomial(4, 2, c, "b8", "b6", "b4", "b2", "b0")
	x.p("\tVDIVPS %s, %s, %s", x.v(4), x.v(3), x.v(3))
	x.p("\tVADDPS %s, %s, %s", c("one"), x.v(3), x.v(3))
	x.p("\tVMULPS %s, %s, %s", c("half"), x.v(0), x.v(0))
	x.p("\tVMULPS %s, %s, %s\n\tVMOVUPS %s, (SI)", x.v(3), x.v(0), x.v(0), x.v(0))
	x.p("\tADDQ $%d, SI\n\tSUBQ $%d, CX\n\tJG loop", 4*x.lanes, x.lanes)
	x.end()
}

// polynomial evaluates one in the register at by Horner's rule, the highest coefficient first.
func (x x86) polynomial(to, at int, c func(string) string, names ...string) {
	x.p("\tVMOVUPS %s, %s", c(names[0]), x.v(to))
	for _, name := range names[1:] {
		x.p("\tVFMADD213PS %s, %s, %s", c(name), x.v(at), x.v(to))
	}
}

// fold combines the lanes of register r into its first, by VADDPS or VMAXPS; t is overwritten.
func (x x86) fold(op string, r, t int) {
	if x.lanes == 16 {
		x.p("\tVEXTRACTF64X4 $1, Z%d, Y%d\n\t%s Y%d, Y%d, Y%d", r, t, op, t, r, r)
	}
	x.p("\tVEXTRACTF128 $1, Y%d, X%d\n\t%s X%d, X%d, X%d", r, t, op, t, r, r)
	for _, order := range []string{"0x4e", "0xb1"} {
		x.p("\tVPERMILPS $%s, X%d, X%d\n\t%s X%d, X%d, X%d", order, r, t, op, t, r, r)
	}
}

func (x x86) expSum() {
	x.begin("expSum"+x.name, expSumParams, expSumFrame)
	x.p("\tMOVQ x_base+0(FP), SI\n\tMOVQ x_len+8(FP), CX\n\tMOVQ SI, DX\n\tMOVQ CX, BX\n\tVMOVUPS (SI), %s", x.v(0))
	next := func(label string) {
		x.p("\tADDQ $%d, SI\n\tSUBQ $%d, CX\n\tJG %s", 4*x.lanes, x.lanes, label)
	}
	x.p("largest:\n\tVMAXPS (SI), %s, %s", x.v(0), x.v(0))
	next("largest")
	x.fold("VMAXPS", 0, 1)
	x.p("\tVBROADCASTSS scale+24(FP), %s\n\tVBROADCASTSS X0, %s\n\tVMULPS %s, %s, %s", x.v(5), x.v(6), x.v(5), x.v(6), x.v(6))
	x.p("\tVXORPS X7, X7, X7\n\tVPBROADCASTD ·bias127(SB), %s", x.v(8))
	c := x.load("expTable", expConstants(), 16)
	x.p("\tMOVQ DX, SI\n\tMOVQ BX, CX\nloop:")
	x.p("\tVMULPS (SI), %s, %s\n\tVSUBPS %s, %s, %s", x.v(5), x.v(0), x.v(6), x.v(0), x.v(0))
	x.p("\tVMAXPS %s, %s, %s", c("lowest"), x.v(0), x.v(0))
	x.p("\tVMULPS %s, %s, %s\n\tVCVTPS2DQ %s, %s\n\tVCVTDQ2PS %s, %s", c("log2e"), x.v(0), x.v(1), x.v(1), x.v(1), x.v(1), x.v(2))
	x.p("\tVFNMADD231PS %s, %s, %s", c("ln2high"), x.v(2), x.v(0))
	x.p("\tVFNMADD231PS %s, %s, %s", c("ln2low"), x.v(2), x.v(0))
	x.polynomial(3, 0, c, "p0", "p1", "p2", "p3", "p4", "p5")
	x.p("\tVMULPS %s, %s, %s\n\tVFMADD213PS %s, %s, %s", x.v(0), x.v(0), x.v(4), x.v(0), x.v(4), x.v(3))
	x.p("\tVADDPS %s, %s, %s", c("one"), x.v(3), x.v(3))
	x.p("\tVPADDD %s, %s, %s\n\tVPSLLD $23, %s, %s", x.v(8), x.v(1), x.v(1), x.v(1), x.v(1))
	x.p("\tVMULPS %s, %s, %s\n\tVADDPS %s, %s, %s\n\tVMOVUPS %s, (SI)", x.v(1), x.v(3), x.v(3), x.v(3), x.v(7), x.v(7), x.v(3))
	next("loop")
	x.fold("VADDPS", 7, 1)
	x.p("\tMOVSS X7, ret+32(FP)")
	x.end()
}

func (x x86) addNorm() {
	x.begin("addNorm"+x.name, addNormParams, addNormFrame)
	x.p("\tMOVQ x_base+0(FP), SI\n\tMOVQ r_base+24(FP), DI\n\tMOVQ gain_base+48(FP), R8\n\tMOVQ gain_len+56(FP), CX\n\tMOVQ bias_base+72(FP), R9")
	x.p("\tMOVQ SI, DX\n\tMOVQ CX, BX\n\tVXORPS X0, X0, X0\n\tVXORPS X5, X5, X5\n\tVCVTSI2SSQ CX, X5, X5")
	again := func(label string, pointers ...string) {
		for _, p := range pointers {
			x.p("\tADDQ $%d, %s", 4*x.lanes, p)
		}
		x.p("\tSUBQ $%d, CX\n\tJG %s", x.lanes, label)
	}
	x.p("sum:\n\tVMOVUPS (SI), %s\n\tVADDPS (DI), %s, %s\n\tVMOVUPS %s, (SI)\n\tVADDPS %s, %s, %s", x.v(1), x.v(1), x.v(1), x.v(1), x.v(1), x.v(0), x.v(0))
	again("sum", "SI", "DI")
	x.fold("VADDPS", 0, 1)
	x.p("\tVDIVSS X5, X0, X0\n\tVBROADCASTSS X0, %s\n\tVXORPS X3, X3, X3\n\tMOVQ DX, SI\n\tMOVQ BX, CX", x.v(2))
	x.p("squares:\n\tVMOVUPS (SI), %s\n\tVSUBPS %s, %s, %s\n\tVFMADD231PS %s, %s, %s", x.v(1), x.v(2), x.v(1), x.v(1), x.v(1), x.v(1), x.v(3))
	again("squares", "SI")
	x.fold("VADDPS", 3, 1)
	x.p("\tVDIVSS X5, X3, X3\n\tVADDSS eps+96(FP), X3, X3\n\tVSQRTSS X3, X3, X3\n\tVMOVSS ·geluTable+%d(SB), X4\n\tVDIVSS X3, X4, X4", 32*15) // one
	x.p("\tVBROADCASTSS X4, %s\n\tMOVQ DX, SI\n\tMOVQ BX, CX", x.v(4))
	x.p("scale:\n\tVMOVUPS (SI), %s\n\tVSUBPS %s, %s, %s\n\tVMULPS %s, %s, %s", x.v(1), x.v(2), x.v(1), x.v(1), x.v(4), x.v(1), x.v(1))
	x.p("\tVMOVUPS (R9), %s\n\tVFMADD231PS (R8), %s, %s\n\tVMOVUPS %s, (SI)", x.v(0), x.v(1), x.v(0), x.v(0))
	again("scale", "SI", "R8", "R9")
	x.end()
}

// widen holds the scales of a panel's columns in registers.
func (x x86) widen() {
	x.begin("widen"+x.name, widenParams, widenFrame)
	x.p("\tMOVQ dst_base+0(FP), DI\n\tMOVQ src_base+24(FP), SI\n\tMOVQ src_len+32(FP), CX\n\tMOVQ scale_base+48(FP), DX")
	n := width / x.lanes
	for i := range n {
		x.p("\tVMOVUPS %d(DX), %s", 4*x.lanes*i, x.v(n+i))
	}
	x.p("loop:")
	for i := range n {
		x.p("\tVPMOVSXBD %d(SI), %s", x.lanes*i, x.v(i))
	}
	for i := range n {
		x.p("\tVCVTDQ2PS %s, %s\n\tVMULPS %s, %s, %s\n\tVMOVUPS %s, %d(DI)", x.v(i), x.v(i), x.v(n+i), x.v(i), x.v(i), x.v(i), 4*x.lanes*i)
	}
	x.p("\tADDQ $%d, SI\n\tADDQ $%d, DI\n\tSUBQ $%d, CX\n\tJG loop", width, 4*width, width)
	x.end()
}
