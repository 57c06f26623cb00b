#include "go_asm.h"
#include "textflag.h"

// R15 points to the combinations. For the present row, DI points to c, SI to its first number of a and BX to its first
// row of b. R10 is its number of terms. DX is the offset of the present columns, of which CX are left. Within a sum, AX
// points to a, R11 points to b, and R12 terms are left. All bits of Y13 are set if c is added before the sum, all bits
// of Y14 if c is added after the sum.

// func addRows(x *combinations)
TEXT ·addRows(SB), NOSPLIT, $0-8
	MOVQ     x+0(FP), R15
	MOVQ     combinations_rows(R15), R13
	MOVQ     combinations_length(R15), R8
	MOVQ     combinations_c(R15), DI
	MOVQ     combinations_a(R15), SI
	MOVQ     combinations_nextTerm(R15), R9
	MOVQ     combinations_b(R15), BX
	MOVQ     combinations_terms(R15), R10
	SHLQ     $3, R8
	SHLQ     $3, R9
	VXORPD   Y13, Y13, Y13
	VXORPD   Y14, Y14, Y14
	CMPB     combinations_before(R15), $0
	JEQ      notBefore
	VPCMPEQQ Y13, Y13, Y13

notBefore:
	CMPB     combinations_after(R15), $0
	JEQ      row
	VPCMPEQQ Y14, Y14, Y14

row:
	MOVQ combinations_columns(R15), CX
	XORQ DX, DX

eight:
	SUBQ    $8, CX
	JLT     four
	VMOVUPD (DI)(DX*1), Y4
	VMOVUPD 32(DI)(DX*1), Y5
	VANDPD  Y13, Y4, Y0
	VANDPD  Y13, Y5, Y1
	VANDPD  Y14, Y4, Y4
	VANDPD  Y14, Y5, Y5
	MOVQ    SI, AX
	LEAQ    (BX)(DX*1), R11
	MOVQ    R10, R12

term8:
	VBROADCASTSD (AX), Y6
	VMULPD       (R11), Y6, Y7
	VMULPD       32(R11), Y6, Y8
	VADDPD       Y7, Y0, Y0
	VADDPD       Y8, Y1, Y1
	ADDQ         R9, AX
	ADDQ         R8, R11
	DECQ         R12
	JNZ          term8
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VMOVUPD      Y0, (DI)(DX*1)
	VMOVUPD      Y1, 32(DI)(DX*1)
	ADDQ         $64, DX
	JMP          eight

four:
	TESTQ   $4, CX
	JZ      two
	VMOVUPD (DI)(DX*1), Y4
	VANDPD  Y13, Y4, Y0
	VANDPD  Y14, Y4, Y4
	MOVQ    SI, AX
	LEAQ    (BX)(DX*1), R11
	MOVQ    R10, R12

term4:
	VBROADCASTSD (AX), Y6
	VMULPD       (R11), Y6, Y7
	VADDPD       Y7, Y0, Y0
	ADDQ         R9, AX
	ADDQ         R8, R11
	DECQ         R12
	JNZ          term4
	VADDPD       Y4, Y0, Y0
	VMOVUPD      Y0, (DI)(DX*1)
	ADDQ         $32, DX

two:
	TESTQ   $2, CX
	JZ      one
	VMOVUPD (DI)(DX*1), X4
	VANDPD  X13, X4, X0
	VANDPD  X14, X4, X4
	MOVQ    SI, AX
	LEAQ    (BX)(DX*1), R11
	MOVQ    R10, R12

term2:
	VMOVDDUP (AX), X6
	VMULPD   (R11), X6, X7
	VADDPD   X7, X0, X0
	ADDQ     R9, AX
	ADDQ     R8, R11
	DECQ     R12
	JNZ      term2
	VADDPD   X4, X0, X0
	VMOVUPD  X0, (DI)(DX*1)
	ADDQ     $16, DX

one:
	TESTQ   $1, CX
	JZ      next
	VMOVSD (DI)(DX*1), X4
	VANDPD X13, X4, X0
	VANDPD X14, X4, X4
	MOVQ   SI, AX
	LEAQ   (BX)(DX*1), R11
	MOVQ   R10, R12

term1:
	VMOVSD (AX), X6
	VMULSD (R11), X6, X7
	VADDSD X7, X0, X0
	ADDQ   R9, AX
	ADDQ   R8, R11
	DECQ   R12
	JNZ    term1
	VADDSD X4, X0, X0
	VMOVSD X0, (DI)(DX*1)
	ADDQ   $8, DX

next:
	ADDQ R8, DI
	MOVQ combinations_nextRow(R15), AX
	LEAQ (SI)(AX*8), SI
	MOVQ combinations_nextFirst(R15), AX
	LEAQ (BX)(AX*8), BX
	ADDQ combinations_moreTerms(R15), R10
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET
