#include "textflag.h"

// func combine(dst *float64, n int, scale, x *float64, stride int, cols *int32, vals *float64, entries int)
//
// dst = scale ∘ Σ_e vals[e]·x[cols[e]·stride:], n numbers in steps of 16, then of 4.
TEXT ·combine(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ scale+16(FP), R12
	MOVQ x+24(FP), SI
	MOVQ stride+32(FP), BX
	MOVQ cols+40(FP), R8
	MOVQ vals+48(FP), R9
	MOVQ entries+56(FP), R10
	SHLQ $3, BX
	SUBQ $16, CX
	JL   fours

sixteen:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ   R11, R11

entry16:
	MOVLQSX      (R8)(R11*4), AX
	IMULQ        BX, AX
	VBROADCASTSD (R9)(R11*8), Y4
	VFMADD231PD  (SI)(AX*1), Y4, Y0
	VFMADD231PD  32(SI)(AX*1), Y4, Y1
	VFMADD231PD  64(SI)(AX*1), Y4, Y2
	VFMADD231PD  96(SI)(AX*1), Y4, Y3
	INCQ         R11
	CMPQ         R11, R10
	JLT          entry16
	TESTQ        R12, R12
	JZ           store16
	VMULPD       (R12), Y0, Y0
	VMULPD       32(R12), Y1, Y1
	VMULPD       64(R12), Y2, Y2
	VMULPD       96(R12), Y3, Y3
	ADDQ         $128, R12

store16:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $128, SI
	SUBQ    $16, CX
	JGE     sixteen

fours:
	ADDQ $16, CX
	JZ   done

four:
	VXORPD Y0, Y0, Y0
	XORQ   R11, R11

entry4:
	MOVLQSX      (R8)(R11*4), AX
	IMULQ        BX, AX
	VBROADCASTSD (R9)(R11*8), Y4
	VFMADD231PD  (SI)(AX*1), Y4, Y0
	INCQ         R11
	CMPQ         R11, R10
	JLT          entry4
	TESTQ        R12, R12
	JZ           store4
	VMULPD       (R12), Y0, Y0
	ADDQ         $32, R12

store4:
	VMOVUPD Y0, (DI)
	ADDQ    $32, DI
	ADDQ    $32, SI
	SUBQ    $4, CX
	JNZ     four

done:
	VZEROUPPER
	RET

// func combineRows(rows int, dst *float64, ldd, n int, scale, x0, x1, x2, x3 *float64, step int, vals *float64)
//
// For each row dst = scale ∘ (vals[0]·x0 + vals[1]·x1 + vals[2]·x2 + vals[3]·x3), n numbers in steps of 16, then of 4;
// then dst is ldd numbers further, the four x step, and vals four.
TEXT ·combineRows(SB), NOSPLIT, $0-88
	MOVQ dst+8(FP), DI
	MOVQ ldd+16(FP), DX
	MOVQ x0+40(FP), R8
	MOVQ x1+48(FP), R9
	MOVQ x2+56(FP), R10
	MOVQ x3+64(FP), R11
	MOVQ step+72(FP), BX
	MOVQ vals+80(FP), SI
	SHLQ $3, DX
	SHLQ $3, BX

row:
	VBROADCASTSD (SI), Y12
	VBROADCASTSD 8(SI), Y13
	VBROADCASTSD 16(SI), Y14
	VBROADCASTSD 24(SI), Y15
	MOVQ n+24(FP), CX
	MOVQ scale+32(FP), R12
	XORQ AX, AX
	SUBQ $16, CX
	JL   fours

sixteen:
	VMULPD      (R8)(AX*1), Y12, Y0
	VMULPD      32(R8)(AX*1), Y12, Y1
	VMULPD      64(R8)(AX*1), Y12, Y2
	VMULPD      96(R8)(AX*1), Y12, Y3
	VFMADD231PD (R9)(AX*1), Y13, Y0
	VFMADD231PD 32(R9)(AX*1), Y13, Y1
	VFMADD231PD 64(R9)(AX*1), Y13, Y2
	VFMADD231PD 96(R9)(AX*1), Y13, Y3
	VFMADD231PD (R10)(AX*1), Y14, Y0
	VFMADD231PD 32(R10)(AX*1), Y14, Y1
	VFMADD231PD 64(R10)(AX*1), Y14, Y2
	VFMADD231PD 96(R10)(AX*1), Y14, Y3
	VFMADD231PD (R11)(AX*1), Y15, Y0
	VFMADD231PD 32(R11)(AX*1), Y15, Y1
	VFMADD231PD 64(R11)(AX*1), Y15, Y2
	VFMADD231PD 96(R11)(AX*1), Y15, Y3
	TESTQ       R12, R12
	JZ          store16
	VMULPD      (R12)(AX*1), Y0, Y0
	VMULPD      32(R12)(AX*1), Y1, Y1
	VMULPD      64(R12)(AX*1), Y2, Y2
	VMULPD      96(R12)(AX*1), Y3, Y3

store16:
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	VMOVUPD Y2, 64(DI)(AX*1)
	VMOVUPD Y3, 96(DI)(AX*1)
	ADDQ    $128, AX
	SUBQ    $16, CX
	JGE     sixteen

fours:
	ADDQ $16, CX
	JZ   next

four:
	VMULPD      (R8)(AX*1), Y12, Y0
	VFMADD231PD (R9)(AX*1), Y13, Y0
	VFMADD231PD (R10)(AX*1), Y14, Y0
	VFMADD231PD (R11)(AX*1), Y15, Y0
	TESTQ       R12, R12
	JZ          store4
	VMULPD      (R12)(AX*1), Y0, Y0

store4:
	VMOVUPD Y0, (DI)(AX*1)
	ADDQ    $32, AX
	SUBQ    $4, CX
	JNZ     four

next:
	ADDQ DX, DI
	ADDQ BX, R8
	ADDQ BX, R9
	ADDQ BX, R10
	ADDQ BX, R11
	ADDQ $32, SI
	DECQ rows+0(FP)
	JNZ  row
	VZEROUPPER
	RET

// func invertSquare(z *float64, n int, later *float64) int
//
// Rows of 16 numbers, one for each of n ≤ 12 states, the column after them, the rest zero. later holds, for each state, 16
// ones and zeros: ones for the states after it and the column beyond. Returns n, or the first state that is not left.
//
// AX counts states, BX points to row AX, DX to its diagonal, R8 to its ones. For the pivot's row z_k in Y0–Y3, z_kk = 0,
// and every row i, z_i += z_ik·p·z_k, z_ik = z_ik·p; then z_k = p·z_k, z_kk = p.
TEXT ·invertSquare(SB), NOSPLIT, $0-32
	MOVQ  z+0(FP), DI
	MOVQ  n+8(FP), R9
	MOVQ  later+16(FP), R8
	XORQ  AX, AX
	MOVQ  DI, BX
	MOVQ  $0x3FF0000000000000, CX
	VMOVQ CX, X13
	VXORPD X14, X14, X14

state:
	LEAQ     (BX)(AX*8), DX
	MOVQ     $0, (DX)
	VMOVUPD  (BX), Y0
	VMOVUPD  32(BX), Y1
	VMOVUPD  64(BX), Y2
	VMOVUPD  96(BX), Y3
	VMULPD   (R8), Y0, Y8
	VFMADD231PD 32(R8), Y1, Y8
	VMULPD   64(R8), Y2, Y9
	VFMADD231PD 96(R8), Y3, Y9
	VADDPD   Y9, Y8, Y8
	VEXTRACTF128 $1, Y8, X9
	VADDPD   X9, X8, X8
	VHADDPD  X8, X8, X8
	VUCOMISD X14, X8
	JLS      stop           // not above zero, or undefined
	VDIVSD   X8, X13, X5
	VBROADCASTSD X5, Y6
	MOVQ     DI, R10
	MOVQ     R9, CX

row:
	VMULSD       (R10)(AX*8), X5, X4
	VBROADCASTSD X4, Y7
	VMOVUPD      (R10), Y8
	VMOVUPD      32(R10), Y9
	VMOVUPD      64(R10), Y10
	VMOVUPD      96(R10), Y11
	VFMADD231PD  Y0, Y7, Y8
	VFMADD231PD  Y1, Y7, Y9
	VFMADD231PD  Y2, Y7, Y10
	VFMADD231PD  Y3, Y7, Y11
	VMOVUPD      Y8, (R10)
	VMOVUPD      Y9, 32(R10)
	VMOVUPD      Y10, 64(R10)
	VMOVUPD      Y11, 96(R10)
	VMOVSD       X4, (R10)(AX*8)
	ADDQ         $128, R10
	DECQ         CX
	JNZ          row

	VMULPD  Y0, Y6, Y0
	VMULPD  Y1, Y6, Y1
	VMULPD  Y2, Y6, Y2
	VMULPD  Y3, Y6, Y3
	VMOVUPD Y0, (BX)
	VMOVUPD Y1, 32(BX)
	VMOVUPD Y2, 64(BX)
	VMOVUPD Y3, 96(BX)
	VMOVSD  X5, (DX)
	ADDQ    $128, BX
	ADDQ    $128, R8
	INCQ    AX
	CMPQ    AX, R9
	JLT     state

stop:
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET
