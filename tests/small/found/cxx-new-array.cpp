// An array from new[] is overrun.
//
// heddle: kind = memory
int main()
{
    volatile int *numbers = new int[3];
    for (int i = 0; i < 4; i++)
        numbers[i] = i;
    delete[] numbers;
    return 0;
}
