#include "textflag.h"

// func roundDifferences(n int, to *float32, a, b *float64)
//
// to = a − b, rounded, for n numbers, a positive multiple of four.
TEXT ·roundDifferences(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), BX

four:
	VMOVUPD    (SI), Y0
	VSUBPD     (BX), Y0, Y0
	VCVTPD2PSY Y0, X0
	VMOVUPS    X0, (DI)
	ADDQ       $32, SI
	ADDQ       $32, BX
	ADDQ       $16, DI
	SUBQ       $4, CX
	JNZ        four
	VZEROUPPER
	RET

// func addSingles(n int, to, a *float64, x *float32)
//
// to = a + x for n numbers, a positive multiple of four.
TEXT ·addSingles(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ to+8(FP), DI
	MOVQ a+16(FP), SI
	MOVQ x+24(FP), BX

four:
	VCVTPS2PD (BX), Y0
	VADDPD    (SI), Y0, Y0
	VMOVUPD   Y0, (DI)
	ADDQ      $32, SI
	ADDQ      $16, BX
	ADDQ      $32, DI
	SUBQ      $4, CX
	JNZ       four
	VZEROUPPER
	RET

// func anyChangedMore(n int, was, is, u *float64, c float64) bool
//
// Whether |is_i − was_i| > c·(u_i + is_i) for any of n numbers, a positive multiple of four. Y15 collects the answers.
TEXT ·anyChangedMore(SB), NOSPLIT, $0-41
	MOVQ         n+0(FP), CX
	MOVQ         was+8(FP), DI
	MOVQ         is+16(FP), SI
	MOVQ         u+24(FP), BX
	VBROADCASTSD c+32(FP), Y14
	VXORPD       Y15, Y15, Y15
	VPCMPEQD     Y13, Y13, Y13
	VPSRLQ       $1, Y13, Y13 // all bits but the sign

four:
	VMOVUPD (SI), Y0
	VSUBPD  (DI), Y0, Y1
	VANDPD  Y13, Y1, Y1
	VADDPD  (BX), Y0, Y0
	VMULPD  Y14, Y0, Y0
	VCMPPD  $0x1E, Y0, Y1, Y1 // greater, false for NaN
	VORPD   Y1, Y15, Y15
	ADDQ    $32, SI
	ADDQ    $32, DI
	ADDQ    $32, BX
	SUBQ    $4, CX
	JNZ     four
	VMOVMSKPD Y15, AX
	TESTQ   AX, AX
	SETNE   ret+40(FP)
	VZEROUPPER
	RET
