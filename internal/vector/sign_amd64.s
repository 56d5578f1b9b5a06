#include "textflag.h"

// func within64(code *[4]uint64, codes *byte, distances *[64]int32, limit int32) uint64
//
// Four codes at a time: the bits of each that differ are counted by words, whose counts are then added up across.
TEXT ·within64(SB), NOSPLIT, $0-40
	MOVQ         code+0(FP), AX
	MOVQ         codes+8(FP), SI
	MOVQ         distances+16(FP), DI
	VMOVDQU      (AX), Y0
	MOVQ         $16, CX

four:
	VPXOR        (SI), Y0, Y1
	VPXOR        32(SI), Y0, Y2
	VPXOR        64(SI), Y0, Y3
	VPXOR        96(SI), Y0, Y4
	VPOPCNTQ     Y1, Y1
	VPOPCNTQ     Y2, Y2
	VPOPCNTQ     Y3, Y3
	VPOPCNTQ     Y4, Y4
	VPUNPCKLQDQ  Y2, Y1, Y5
	VPUNPCKHQDQ  Y2, Y1, Y6
	VPADDQ       Y5, Y6, Y5         // words 0 and 1 of codes 0 and 1, then words 2 and 3
	VPUNPCKLQDQ  Y4, Y3, Y7
	VPUNPCKHQDQ  Y4, Y3, Y8
	VPADDQ       Y7, Y8, Y7         // the same of codes 2 and 3
	VPERM2I128   $0x20, Y7, Y5, Y9
	VPERM2I128   $0x31, Y7, Y5, Y10
	VPADDQ       Y9, Y10, Y9
	VPMOVQD      Y9, X9
	VMOVDQU      X9, (DI)
	ADDQ         $128, SI
	ADDQ         $16, DI
	DECQ         CX
	JNZ          four

	MOVQ         distances+16(FP), DI
	MOVL         limit+24(FP), BX
	VPBROADCASTD BX, Z0
	VMOVDQU32    (DI), Z1
	VMOVDQU32    64(DI), Z2
	VMOVDQU32    128(DI), Z3
	VMOVDQU32    192(DI), Z4
	VPCMPD       $2, Z0, Z1, K1     // at most
	VPCMPD       $2, Z0, Z2, K2
	VPCMPD       $2, Z0, Z3, K3
	VPCMPD       $2, Z0, Z4, K4
	KUNPCKWD     K1, K2, K1
	KUNPCKWD     K3, K4, K3
	KUNPCKDQ     K1, K3, K1
	KMOVQ        K1, AX
	MOVQ         AX, ret+32(FP)
	VZEROUPPER
	RET
