#include "textflag.h"

// Tiles of 4 rows by 24 or 8 columns in single precision: groups of four rows of c + a·b, one after the other. The tiles
// of 12 columns in double precision have the same form.
//
// R8–R11 point to four rows of a, DI, R13, R14, R15 to those of c, SI to a row of b; AX, BX, DX are the strides in
// bytes, CX counts what is left of k and R12 what has been done. Y0–Y11 hold the tile, Y12–Y14 a row of b, Y15 an entry
// of a.

#define LOAD \
	MOVQ a+16(FP), R8        \
	MOVQ lda+24(FP), AX      \
	MOVQ ldb+40(FP), BX      \
	MOVQ c+48(FP), DI        \
	MOVQ ldc+56(FP), DX      \
	SHLQ $2, AX              \
	SHLQ $2, BX              \
	SHLQ $2, DX

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

#define ADD(at, acc) \
	VADDPS  at, acc, acc     \
	VMOVUPS acc, at

#define ZERO(y) VXORPS y, y, y

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

#define STEP24(off) \
	VMOVUPS (SI), Y12                 \
	VMOVUPS 32(SI), Y13               \
	VMOVUPS 64(SI), Y14               \
	VBROADCASTSS off(R8)(R12*4), Y15  \
	VFMADD231PS Y12, Y15, Y0          \
	VFMADD231PS Y13, Y15, Y1          \
	VFMADD231PS Y14, Y15, Y2          \
	VBROADCASTSS off(R9)(R12*4), Y15  \
	VFMADD231PS Y12, Y15, Y3          \
	VFMADD231PS Y13, Y15, Y4          \
	VFMADD231PS Y14, Y15, Y5          \
	VBROADCASTSS off(R10)(R12*4), Y15 \
	VFMADD231PS Y12, Y15, Y6          \
	VFMADD231PS Y13, Y15, Y7          \
	VFMADD231PS Y14, Y15, Y8          \
	VBROADCASTSS off(R11)(R12*4), Y15 \
	VFMADD231PS Y12, Y15, Y9          \
	VFMADD231PS Y13, Y15, Y10         \
	VFMADD231PS Y14, Y15, Y11         \
	ADDQ BX, SI

#define FOUR24 \
	STEP24(0)  \
	STEP24(4)  \
	STEP24(8)  \
	STEP24(12)

// func singleTiles24(groups, k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
TEXT ·singleTiles24(SB), NOSPLIT, $0-64
	LOAD

group:
	BEGIN
	ZERO(Y0)
	ZERO(Y1)
	ZERO(Y2)
	ZERO(Y3)
	ZERO(Y4)
	ZERO(Y5)
	ZERO(Y6)
	ZERO(Y7)
	ZERO(Y8)
	ZERO(Y9)
	ZERO(Y10)
	ZERO(Y11)
	SUM(FOUR24, STEP24(0))
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
	VMOVUPS (SI), Y12                 \
	VBROADCASTSS off(R8)(R12*4), Y8   \
	VFMADD231PS Y12, Y8, Y0           \
	VBROADCASTSS off(R9)(R12*4), Y9   \
	VFMADD231PS Y12, Y9, Y1           \
	VBROADCASTSS off(R10)(R12*4), Y10 \
	VFMADD231PS Y12, Y10, Y2          \
	VBROADCASTSS off(R11)(R12*4), Y11 \
	VFMADD231PS Y12, Y11, Y3          \
	ADDQ BX, SI

#define FOUR8 \
	STEP8(0)  \
	STEP8(4)  \
	STEP8(8)  \
	STEP8(12)

// func singleTiles8(groups, k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
TEXT ·singleTiles8(SB), NOSPLIT, $0-64
	LOAD

group:
	BEGIN
	ZERO(Y0)
	ZERO(Y1)
	ZERO(Y2)
	ZERO(Y3)
	SUM(FOUR8, STEP8(0))
	ADD((DI), Y0)
	ADD((R13), Y1)
	ADD((R14), Y2)
	ADD((R15), Y3)
	NEXT
	DECQ groups+0(FP)
	JNZ  group
	VZEROUPPER
	RET
