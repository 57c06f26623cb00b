#include "textflag.h"

// Tiles of 4 rows by 12, 8 or 4 columns: groups of four rows of keep·c + sign·a·b, one after the other.
//
// R8–R11 point to four rows of a, DI, R13, R14, R15 to those of c, SI to a row of b; AX, BX, DX are the strides in
// bytes, CX counts what is left of k and R12 what has been done. Y0–Y11 hold the tile, Y12–Y14 a row of b, Y15 an entry
// of a. In the end Y13 holds what is written, Y14 and Y15 keep and sign.

#define LOAD \
	MOVQ a+16(FP), R8        \
	MOVQ lda+24(FP), AX      \
	MOVQ ldb+40(FP), BX      \
	MOVQ c+48(FP), DI        \
	MOVQ ldc+56(FP), DX      \
	SHLQ $3, AX              \
	SHLQ $3, BX              \
	SHLQ $3, DX

#define BEGIN \
	MOVQ k+8(FP), CX         \
	MOVQ b+32(FP), SI        \
	LEAQ (R8)(AX*1), R9      \
	LEAQ (R9)(AX*1), R10     \
	LEAQ (R10)(AX*1), R11    \
	LEAQ (DI)(DX*1), R13     \
	LEAQ (R13)(DX*1), R14    \
	LEAQ (R14)(DX*1), R15    \
	PREFETCHT0 (DI)          \
	PREFETCHT0 64(DI)        \
	PREFETCHT0 (R13)         \
	PREFETCHT0 64(R13)       \
	PREFETCHT0 (R14)         \
	PREFETCHT0 64(R14)       \
	PREFETCHT0 (R15)         \
	PREFETCHT0 64(R15)       \
	XORQ R12, R12

#define NEXT \
	LEAQ (R8)(AX*4), R8      \
	LEAQ (DI)(DX*4), DI

#define SIGN \
	VBROADCASTSD sign+64(FP), Y15 \
	VBROADCASTSD keep+72(FP), Y14

#define ADD(at, acc) \
	VMULPD      at, Y14, Y13   \
	VFMADD231PD acc, Y15, Y13  \
	VMOVUPD     Y13, at

#define ZERO(y) VXORPD y, y, y

#define ZERO8 \
	ZERO(Y0) \
	ZERO(Y1) \
	ZERO(Y2) \
	ZERO(Y3) \
	ZERO(Y4) \
	ZERO(Y5) \
	ZERO(Y6) \
	ZERO(Y7)

// SUM takes k in fours and what is left one by one.
#define SUM(four, one) \
	SUBQ $4, CX  \
	JL   rest    \
by4:             \
	four         \
	ADDQ $4, R12 \
	SUBQ $4, CX  \
	JGE  by4     \
rest:            \
	ADDQ $4, CX  \
	JZ   store   \
by1:             \
	one          \
	INCQ R12     \
	DECQ CX      \
	JNZ  by1     \
store:

#define STEP12(off) \
	VMOVUPD (SI), Y12                 \
	VMOVUPD 32(SI), Y13               \
	VMOVUPD 64(SI), Y14               \
	VBROADCASTSD off(R8)(R12*8), Y15  \
	VFMADD231PD Y12, Y15, Y0          \
	VFMADD231PD Y13, Y15, Y1          \
	VFMADD231PD Y14, Y15, Y2          \
	VBROADCASTSD off(R9)(R12*8), Y15  \
	VFMADD231PD Y12, Y15, Y3          \
	VFMADD231PD Y13, Y15, Y4          \
	VFMADD231PD Y14, Y15, Y5          \
	VBROADCASTSD off(R10)(R12*8), Y15 \
	VFMADD231PD Y12, Y15, Y6          \
	VFMADD231PD Y13, Y15, Y7          \
	VFMADD231PD Y14, Y15, Y8          \
	VBROADCASTSD off(R11)(R12*8), Y15 \
	VFMADD231PD Y12, Y15, Y9          \
	VFMADD231PD Y13, Y15, Y10         \
	VFMADD231PD Y14, Y15, Y11         \
	ADDQ BX, SI

#define FOUR12 \
	STEP12(0)  \
	STEP12(8)  \
	STEP12(16) \
	STEP12(24)

// func tiles12(groups, k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, sign, keep float64)
TEXT ·tiles12(SB), NOSPLIT, $0-80
	LOAD

group:
	BEGIN
	ZERO8
	ZERO(Y8)
	ZERO(Y9)
	ZERO(Y10)
	ZERO(Y11)
	SUM(FOUR12, STEP12(0))
	SIGN
	ADD((DI), Y0)
	ADD(32(DI), Y1)
	ADD(64(DI), Y2)
	ADD((R13), Y3)
	ADD(32(R13), Y4)
	ADD(64(R13), Y5)
	ADD((R14), Y6)
	ADD(32(R14), Y7)
	ADD(64(R14), Y8)
	ADD((R15), Y9)
	ADD(32(R15), Y10)
	ADD(64(R15), Y11)
	NEXT
	DECQ groups+0(FP)
	JNZ  group
	VZEROUPPER
	RET

#define STEP8(off) \
	VMOVUPD (SI), Y12                 \
	VMOVUPD 32(SI), Y13               \
	VBROADCASTSD off(R8)(R12*8), Y8   \
	VFMADD231PD Y12, Y8, Y0           \
	VFMADD231PD Y13, Y8, Y1           \
	VBROADCASTSD off(R9)(R12*8), Y9   \
	VFMADD231PD Y12, Y9, Y2           \
	VFMADD231PD Y13, Y9, Y3           \
	VBROADCASTSD off(R10)(R12*8), Y10 \
	VFMADD231PD Y12, Y10, Y4          \
	VFMADD231PD Y13, Y10, Y5          \
	VBROADCASTSD off(R11)(R12*8), Y11 \
	VFMADD231PD Y12, Y11, Y6          \
	VFMADD231PD Y13, Y11, Y7          \
	ADDQ BX, SI

#define FOUR8 \
	STEP8(0)  \
	STEP8(8)  \
	STEP8(16) \
	STEP8(24)

// func tiles8(groups, k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, sign, keep float64)
TEXT ·tiles8(SB), NOSPLIT, $0-80
	LOAD

group:
	BEGIN
	ZERO8
	SUM(FOUR8, STEP8(0))
	SIGN
	ADD((DI), Y0)
	ADD(32(DI), Y1)
	ADD((R13), Y2)
	ADD(32(R13), Y3)
	ADD((R14), Y4)
	ADD(32(R14), Y5)
	ADD((R15), Y6)
	ADD(32(R15), Y7)
	NEXT
	DECQ groups+0(FP)
	JNZ  group
	VZEROUPPER
	RET

#define STEP4(off) \
	VMOVUPD (SI), Y12                 \
	VBROADCASTSD off(R8)(R12*8), Y8   \
	VFMADD231PD Y12, Y8, Y0           \
	VBROADCASTSD off(R9)(R12*8), Y9   \
	VFMADD231PD Y12, Y9, Y1           \
	VBROADCASTSD off(R10)(R12*8), Y10 \
	VFMADD231PD Y12, Y10, Y2          \
	VBROADCASTSD off(R11)(R12*8), Y11 \
	VFMADD231PD Y12, Y11, Y3          \
	ADDQ BX, SI

#define FOUR4 \
	STEP4(0)  \
	STEP4(8)  \
	STEP4(16) \
	STEP4(24)

// func tiles4(groups, k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, sign, keep float64)
TEXT ·tiles4(SB), NOSPLIT, $0-80
	LOAD

group:
	BEGIN
	ZERO(Y0)
	ZERO(Y1)
	ZERO(Y2)
	ZERO(Y3)
	SUM(FOUR4, STEP4(0))
	SIGN
	ADD((DI), Y0)
	ADD((R13), Y1)
	ADD((R14), Y2)
	ADD((R15), Y3)
	NEXT
	DECQ groups+0(FP)
	JNZ  group
	VZEROUPPER
	RET

// func packPanel(k int, b *float64, ldb int, to *float64)
TEXT ·packPanel(SB), NOSPLIT, $0-32
	MOVQ k+0(FP), CX
	MOVQ b+8(FP), SI
	MOVQ ldb+16(FP), BX
	MOVQ to+24(FP), DI
	SHLQ $3, BX

row:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	ADDQ BX, SI
	ADDQ $96, DI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET
