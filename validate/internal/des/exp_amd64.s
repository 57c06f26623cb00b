#include "textflag.h"

DATA constants<>+0(SB)/8, $0x3ff0000000000000  // 1
DATA constants<>+8(SB)/8, $0x3fe6900000000000  // lowest
DATA constants<>+16(SB)/8, $0x3fd5555555555555 // 1/3
DATA constants<>+24(SB)/8, $0x3fe62e42fefa39ef // log 2
DATA constants<>+32(SB)/8, $0x000fffffffffffff // bits of a fraction
DATA constants<>+40(SB)/8, $0x000fe00000000000 // those that tell intervals apart
DATA constants<>+48(SB)/8, $0x3fe6a00000000000 // the middle of the lowest interval
DATA constants<>+56(SB)/8, $0x3fc2492492492492 // 1/7
DATA constants<>+64(SB)/8, $0x3fc5555555555555 // 1/6
DATA constants<>+72(SB)/8, $0x3fc999999999999a // 1/5
DATA constants<>+80(SB)/8, $0x3fd0000000000000 // 1/4
GLOBL constants<>(SB), RODATA|NOPTR, $88

DATA halves<>+0(SB)/8, $0x3fe0000000000000
DATA halves<>+8(SB)/8, $0x3fe0000000000000
DATA halves<>+16(SB)/8, $0x3fe0000000000000
DATA halves<>+24(SB)/8, $0x3fe0000000000000
GLOBL halves<>(SB), RODATA|NOPTR, $32

// func fourExps(x *float64, n int, table *logInterval)
TEXT ·fourExps(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), R8
	MOVQ table+16(FP), SI
	LEAQ constants<>(SB), R9

	VBROADCASTSD 0(R9), Y15
	VBROADCASTSD 8(R9), Y14
	VBROADCASTSD 16(R9), Y13
	VBROADCASTSD 24(R9), Y12
	VBROADCASTSD 32(R9), Y11
	VBROADCASTSD 40(R9), Y10
	VBROADCASTSD 48(R9), Y9
	VBROADCASTSD 56(R9), Y8
	VBROADCASTSD 64(R9), Y7
	VBROADCASTSD 72(R9), Y6
	VBROADCASTSD 80(R9), Y5

four:
	// bits = those of 1 − u, less lowest
	VMOVUPD (DI), Y0
	VSUBPD  Y0, Y15, Y0
	VPSUBQ  Y14, Y0, Y0

	// rows of the table
	VPAND        Y10, Y0, Y1
	VPSRLQ       $45, Y1, Y2
	VEXTRACTI128 $1, Y2, X3
	VMOVQ        X2, AX
	VPEXTRQ      $1, X2, BX
	VMOVQ        X3, CX
	VPEXTRQ      $1, X3, DX
	LEAQ         (AX)(AX*2), AX
	LEAQ         (BX)(BX*2), BX
	LEAQ         (CX)(CX*2), CX
	LEAQ         (DX)(DX*2), DX

	// Y2 = k·log 2, k the upper 12 bits with their sign
	VPSRAD       $20, Y0, Y2
	VEXTRACTI128 $1, Y2, X3
	VSHUFPS      $0xdd, X3, X2, X2
	VCVTDQ2PD    X2, Y2
	VMULPD       Y12, Y2, Y2

	// Y0 = z − c
	VPAND  Y11, Y0, Y0
	VPADDQ Y14, Y0, Y0
	VPADDQ Y9, Y1, Y1
	VSUBPD Y1, Y0, Y0

	// Y4 = 1/c, Y1 = −log c
	VMOVUPD     8(SI)(AX*8), X1
	VINSERTF128 $1, 8(SI)(CX*8), Y1, Y1
	VMOVUPD     8(SI)(BX*8), X3
	VINSERTF128 $1, 8(SI)(DX*8), Y3, Y3
	VUNPCKLPD   Y3, Y1, Y4
	VUNPCKHPD   Y3, Y1, Y1

	// Y1 = −log c − k·log 2, Y0 = r, Y2 = r²
	VSUBPD Y2, Y1, Y1
	VMULPD Y4, Y0, Y0
	VMULPD Y0, Y0, Y2

	// the series
	VMULPD Y8, Y0, Y3
	VSUBPD Y3, Y7, Y3
	VMULPD Y2, Y3, Y3
	VMULPD Y6, Y0, Y4
	VSUBPD Y4, Y5, Y4
	VADDPD Y3, Y4, Y3
	VMULPD Y2, Y3, Y3
	VMULPD Y13, Y0, Y4
	VSUBPD halves<>(SB), Y4, Y4
	VSUBPD Y4, Y3, Y3
	VMULPD Y2, Y3, Y3
	VSUBPD Y0, Y3, Y3

	VADDPD  Y3, Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ    $32, DI
	SUBQ    $4, R8
	JG      four
	VZEROUPPER
	RET
